"""What pages are looked at for, as JavaScript."""

# Texts whose contrast with what is behind them is below 4.5 : 1, WCAG's level AA.
PALE = """(() => {
  const parts = color => color.match(/[0-9.]+/g).map(Number);
  const light = color => parts(color).slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const back = element => {
    for (let each = element; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if ((parts(color)[3] ?? 1) === 1) return color;
    }
    throw new Error("nothing is behind the page");
  };
  const texts = [...document.querySelectorAll("body *")].filter(each => each.checkVisibility()
    && [...each.childNodes].some(child => child.nodeType === 3 && child.data.trim()));
  if (texts.length < 10) throw new Error("only " + texts.length + " texts");
  return texts.filter(each => {
    const [one, other] = [light(getComputedStyle(each).color), light(back(each))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5;
  }).map(each => each.outerHTML.slice(0, 100));
})()"""
