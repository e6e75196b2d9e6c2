/// The style sheets of drawings and pages.
enum StyleSheet {
  /// The style sheet of a drawing. The style sheet of an SVG in a page applies to the whole page. So all rules are
  /// below the drawing's class.
  static let chart = """
    .subledger text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;\
    font-size:\(pixels(Font.axis.size))px;direction:ltr;font-variant-numeric:tabular-nums;\(paint("fill", Palette.quiet))}
    .subledger .title{font-size:\(pixels(Font.title.size))px;font-weight:600;\(paint("fill", Palette.text))}
    .subledger .subtitle{font-size:\(pixels(Font.subtitle.size))px}
    .subledger .legend{font-size:\(pixels(Font.legend.size))px;\(paint("fill", Palette.text))}
    .subledger .cell{font-size:\(pixels(Font.cell.size))px;\(paint("fill", Palette.text))}
    .subledger .quiet{\(paint("fill", Palette.quiet))}
    .subledger .surface,.subledger .hatch{\(paint("fill", Palette.surface))}
    .subledger .empty{fill:none;\(paint("stroke", Palette.grid))}
    .subledger .grid{\(paint("stroke", Palette.grid))}
    .subledger .zero,.subledger .tick{\(paint("stroke", Palette.zero))}
    .subledger .seam{\(paint("stroke", Palette.surface))}
    .subledger .line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
    .subledger .outline{fill:none}
    .subledger .unfinished{stroke-dasharray:2 5}
    .subledger .area{opacity:.1}
    .subledger .ring{stroke-width:2;\(paint("fill", Palette.surface))}
    .subledger .edge{fill:none;stroke-dasharray:3 2.5}
    .subledger .quiet-line{\(paint("stroke", Palette.quiet))}
    .subledger .quiet-fill{\(paint("fill", Palette.quiet))}
    .subledger .hover{fill:transparent}
    .subledger .hover:hover{opacity:.07;\(paint("fill", Palette.text))}
    \(series)

    """

  private static let series =
    (Palette.series.enumerated().map { index, colour in
      ".subledger .fill-\(index){\(paint("fill", colour))}.subledger .line-\(index){\(paint("stroke", colour))}"
    }
    + Palette.heat.enumerated().map { level, colour in
      let on = Palette.onHeat[level]
      return ".subledger .heat-\(level){\(paint("fill", colour))}.subledger .on-\(level){\(paint("fill", on))}"
        + ".subledger .on-line-\(level){\(paint("stroke", on))}"
    }).joined(separator: "\n")

  /// Returns a declaration of a colour. The light form comes first, for readers of SVG without custom properties.
  private static func paint(_ property: String, _ colour: Palette.Colour) -> String {
    "\(property):\(colour.light);\(property):var(--\(colour.name))"
  }

  /// The style sheet of a page around drawings.
  static let page = """
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%}
    body{margin:0;background:var(--surface);color:var(--text);overflow-wrap:anywhere;\
    font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
    main{max-width:768px;margin:0 auto;padding:40px 24px 64px}
    h1{font-size:28px;line-height:1.25;margin:0 0 6px}
    h2{font-size:19px;line-height:1.35;margin:0}
    p{margin:0}
    .about{color:var(--quiet);margin-bottom:8px}
    section{border-top:1px solid var(--grid);margin-top:36px;padding-top:28px}
    figure{margin:0}
    figcaption{margin-bottom:14px}
    figcaption p,ul,details{color:var(--quiet);font-size:14px}
    figure svg{display:block;width:100%;height:auto}
    .narrow{display:none!important}
    ul{margin:10px 0 0;padding-left:18px}
    details{margin-top:12px}
    summary{cursor:pointer;width:fit-content;padding:4px 0}
    .scroll{width:fit-content;max-width:100%;overflow:auto;max-height:70vh;border:1px solid var(--grid);border-radius:6px;margin-top:6px}
    table{border-collapse:collapse;color:var(--text);font-size:13px;font-variant-numeric:tabular-nums}
    th,td{padding:6px 12px;text-align:left;vertical-align:top;unicode-bidi:plaintext;\
    font-weight:400;border-bottom:1px solid var(--grid);min-width:76px;\
    max-width:340px;overflow-wrap:break-word}
    tbody tr:last-child>*{border-bottom:0}
    thead th{position:sticky;top:0;background:var(--surface);font-weight:600}
    .number{text-align:right;white-space:nowrap}
    @media (max-width:640px){main{padding:24px 16px 40px}h1{font-size:23px}.wide{display:none!important}\
    .narrow{display:block!important;max-width:480px}}
    @media print{figure svg{max-height:80vh}main{max-width:none;padding:0}section{break-inside:avoid}.scroll{max-height:none;overflow:visible;\
    border:0}summary{list-style:none}details:not([open]){display:none}section:has([open]){break-inside:auto}\
    thead th{position:static}.wide{display:block!important}.narrow{display:none!important}}

    """
}
