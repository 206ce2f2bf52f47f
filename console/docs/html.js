// Elements of the page. Text becomes text nodes, never HTML.

export const $ = id => document.getElementById(id);

// h makes an element: h("a", {href}, "text", child). A property that begins with "on" is a
// listener; a property or a child that is null, undefined or false is left out.
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

// code is a block of text with a button that copies it. Its text may change: set(text).
export function code(label, text = "") {
  const pre = h("pre", { tabindex: "0", "aria-label": label }, text);
  const button = h("button", { type: "button", class: "copy", "aria-label": "Copy " + label, onclick: async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  const block = h("div", { class: "code" }, pre, button);
  block.set = value => { pre.textContent = value; };
  block.add = value => { pre.append(value); };
  return block;
}

// tabs shows one of several panels: [name, make], each made when it is opened. keep is called
// with the name of the tab that is open.
export function tabs(label, all, first, keep) {
  const panel = h("div", { role: "tabpanel" });
  const buttons = all.map(([name], i) => h("button", { role: "tab", type: "button", onclick: () => open(i) }, name));
  const open = i => {
    buttons.forEach((button, j) => { // one of them is a stop of Tab, the arrows lead to the others
      button.setAttribute("aria-selected", String(i === j));
      button.tabIndex = i === j ? 0 : -1;
    });
    panel.setAttribute("aria-label", all[i][0]);
    panel.replaceChildren(...[all[i][1]()].flat().filter(Boolean));
    keep?.(all[i][0]);
  };
  const turn = event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const i = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    open(i);
    buttons[i].focus();
  };
  open(Math.max(0, all.findIndex(([name]) => name === first)));
  return [h("div", { role: "tablist", "aria-label": label, onkeydown: turn }, buttons), panel];
}
