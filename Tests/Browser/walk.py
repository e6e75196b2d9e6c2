"""Walks through the support page. Each step is what a user does, and each page is checked. Called by run."""

import base64
import importlib.resources
import os
import shutil
import sys

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

address, work, screenshots, canary = sys.argv[1:5]
PASSWORD = "three words are better than one"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
faults = []


def browser(width, has_script=True):
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"]:
        options.add_argument(argument)
    if not has_script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_page_load_timeout(300)
    driver.implicitly_wait(60)
    driver.set_script_timeout(300)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    return driver


def text(driver):
    return driver.find_element(By.TAG_NAME, "main").text


def expect(condition, words):
    if not condition:
        faults.append(words)
        print("FAULT: " + words)


def is_gone(element):
    """Whether the browser shows another page. Between two pages, Chromium can say it in another way than stale."""
    try:
        element.is_enabled()
    except StaleElementReferenceException:
        return True
    except WebDriverException as problem:
        if "does not belong to the document" not in (problem.msg or ""):
            raise
        return True
    return False


def follow(driver, by, what):
    """Clicks, and waits until the page that was there is gone: a slow machine could still show it to the next step."""
    page = driver.find_element(By.TAG_NAME, "html")
    driver.find_element(by, what).click()
    WebDriverWait(driver, 300).until(lambda _: is_gone(page))


def press(driver, label):
    follow(driver, By.XPATH, f"//main//button[normalize-space()='{label}']")


def sign_in(driver, name):
    driver.get(address + "/")
    driver.find_element(By.ID, "name").send_keys(name)
    driver.find_element(By.ID, "password").send_keys(PASSWORD)
    press(driver, "Sign in")
    expect("Look up a person" in text(driver), f"{name} is not signed in: {text(driver)[:200]}")


def look_up(driver, words):
    driver.get(address + "/search")
    driver.find_element(By.ID, "text").send_keys(words)
    press(driver, "Look up")


def walk(driver):
    """The work of one user, with no script."""
    sign_in(driver, "lead")
    for words in ["customer-3", " customer-3 ", "2000000000000003", "Hello, I am customer-3.\nI paid, order M1234567890!"]:
        look_up(driver, words)
        expect("2000000000000003" in text(driver), f"{words} does not lead to the person: {text(driver)[:200]}")
    look_up(driver, "customer-3")
    expect("Has had no pro since" in driver.find_element(By.CSS_SELECTOR, ".answer").text, "the answer is not the first sentence")
    follow(driver, By.XPATH, "//ol//li[contains(., 'Period of')]//a[normalize-space()='as we know it now']")
    expect("Not the present." in text(driver) and "Has pro until 2026-03-01" in text(driver), "the past is not shown")
    follow(driver, By.LINK_TEXT, "Back to now")
    follow(driver, By.LINK_TEXT, "Grant access")
    driver.find_element(By.XPATH, "//label[contains(., '7 days')]").click()
    press(driver, "Show what it does")
    expect("Write a reason" in text(driver), "a missing reason is not named")
    driver.find_element(By.ID, "reason").send_keys("outage")
    press(driver, "Show what it does")
    press(driver, "Grant it")
    expect("The access is granted." in text(driver) and "by our own grant" in text(driver), "the grant is not shown")
    follow(driver, By.LINK_TEXT, "End the grant of pro")
    driver.find_element(By.ID, "reason").send_keys("the walk is over")
    press(driver, "End it now")
    expect("The grant is ended." in text(driver) and "Has had no pro" in text(driver), "the grant is not ended")
    page = base64.b64decode(driver.print_page())
    expect(page.startswith(b"%PDF") and len(page) > 10_000, "the page cannot be printed")
    follow(driver, By.XPATH, "//header//button[normalize-space()='Sign out']")
    expect("Sign in" in text(driver), "the user is not signed out")


def paths(driver):
    """The addresses of all kinds of pages, with a title for each."""
    person = "/people/customer-3"
    driver.get(address + person)
    evidence = driver.find_element(By.LINK_TEXT, "evidence").get_attribute("href").removeprefix(address)
    return {
        "search": "/search",
        "results": "/search?q=customer",
        "nothing": "/search?q=M99999999",
        "person": person,
        "time": person + "?as_of=2026-02-20&known_at=2026-02-21",
        "knowledge": person + "?as_of=2026-03-02&known_at=2026-03-01",
        "compare": person + "/compare?as_of=2026-02-20&known_at=2026-02-21",
        "evidence": evidence,
        "access-log": "/access-log",
        "reports": "/reports?from=2025-06-01&to=2026-06-01",
        "report": "/reports/revenue?from=2025-06-01&to=2026-06-01&group_by=product",
        "refunds": "/refunds",
        "extension": "/purchases/2000000000000003/extension?days=7&reason=outage&code=3",
        "health": "/health",
        "unlink": person + "/links/2000000000000003/unlink",
        "link": person + "/link?identifier=2000000000000001&reason=one+person",
        "purchase": "/purchases/2000000000000003",
        "why": "/purchases/2000000000000003/why",
        "grant": person + "/grant?entitlement=pro&length=7d&reason=x",
        "grant-faults": person + "/grant?entitlement=pro",
        "end-grant": person + "/grants/pro/end",
        "problem": "/purchases/nothing",
    }


def look(driver, width, scheme, name, path):
    driver.get(address + path)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    if canary:
        driver.execute_script(
            "document.body.insertAdjacentHTML('beforeend', '<p id=canary>pale<img src=x></p>');"
            "document.getElementById('canary').style.color = '#999'"
        )
    driver.execute_script(AXE)
    found = driver.execute_async_script(
        "const done = arguments[1]; axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}}).then(done)", WCAG
    )
    for violation in found["violations"]:
        nodes = [node["html"][:160] for node in violation["nodes"][:3]]
        expect(False, f"{name} {width} {scheme}: {violation['id']}: {violation['help']} {nodes}")
    sideways = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    expect(sideways <= 0, f"{name} {width}: {sideways} pixels beyond the side")
    if screenshots:
        height = driver.execute_script("return document.documentElement.scrollHeight")
        shot = driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}},
        )
        with open(os.path.join(screenshots, f"{name}-{width}-{scheme}.png"), "wb") as file:
            file.write(base64.b64decode(shot["data"]))


def main():
    if canary:
        driver = browser(320)
        look(driver, 320, "light", "sign-in", "/sign-in")
        driver.quit()
        seen = any("color-contrast" in fault for fault in faults) and any("image-alt" in fault for fault in faults)
        print("The canary was seen." if seen else "The canary was not seen.")
        sys.exit(0 if seen else 1)
    for width in [1280, 320]:
        driver = browser(width, has_script=False)
        walk(driver)
        driver.quit()
    for width in [1280, 320]:
        driver = browser(width)
        look(driver, width, "light", "sign-in", "/sign-in")
        sign_in(driver, "lead")
        for name, path in paths(driver).items():
            for scheme in ["light", "dark"]:
                look(driver, width, scheme, name, path)
        driver.quit()
    print("The support page in Chromium: " + (f"{len(faults)} faults" if faults else "no fault"))
    sys.exit(1 if faults else 0)


main()
