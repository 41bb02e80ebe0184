'use strict';
(() => {
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
  const box = document.getElementById('search');
  const parts = [...document.querySelectorAll('[data-part]')].map((part) => [part, part.textContent.toLowerCase()]);
  const found = document.getElementById('found');
  const look = () => {
    const word = box.value.trim().toLowerCase();
    let count = 0;
    for (const [part, text] of parts) {
      const fits = text.includes(word);
      part.hidden = !fits;
      if (fits) count += 1;
    }
    found.textContent = word ? `${count} of ${parts.length}` : '';
  };
  box.addEventListener('input', look);
  addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box) { event.preventDefault(); box.focus(); }
    if (event.key === 'Escape' && document.activeElement === box) { box.value = ''; look(); box.blur(); }
  });
  addEventListener('beforeprint', () => { for (const one of document.querySelectorAll('details')) one.open = true; });
})();
