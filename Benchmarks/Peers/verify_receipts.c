// OpenSSL's own verification of CMS: what `openssl cms -verify` does, for many receipts in one process.
//
// Arguments: a file of lines with {"payload": "RECEIPT IN BASE 64"}, and the root certificates (PEM). Prints JSON. Dates
// and Apple's purposes are not checked.
#define _GNU_SOURCE
#include <openssl/cms.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  FILE *file = fopen(arguments[1], "r"), *roots = fopen(arguments[2], "r");
  if (count != 3 || !file || !roots) return 66;
  X509_STORE *store = X509_STORE_new();
  for (X509 *root; (root = PEM_read_X509(roots, NULL, NULL, NULL));) X509_STORE_add_cert(store, root);
  X509_VERIFY_PARAM_set_purpose(X509_STORE_get0_param(store), X509_PURPOSE_ANY);
  char *line = NULL;
  size_t size = 0;
  long verified = 0, refused = 0;
  double start = now();
  for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
    char *text = strstr(line, "\"payload\":\""), *end;
    if (!text) continue;
    text += strlen("\"payload\":\"");
    if (!(end = strchr(text, '"'))) continue;
    unsigned char *bytes = malloc(end - text);
    int decoded = EVP_DecodeBlock(bytes, (unsigned char *)text, (int)(end - text));
    const unsigned char *cursor = bytes;
    CMS_ContentInfo *cms = decoded > 0 ? d2i_CMS_ContentInfo(NULL, &cursor, decoded) : NULL;
    BIO *content = BIO_new(BIO_s_mem());
    if (cms && CMS_verify(cms, NULL, store, NULL, content, CMS_BINARY) == 1) verified++;
    else refused++;
    BIO_free(content);
    CMS_ContentInfo_free(cms);
    free(bytes);
  }
  printf("{\"seconds\": %f, \"verified\": %ld, \"refused\": %ld}\n", now() - start, verified, refused);
  return 0;
}
