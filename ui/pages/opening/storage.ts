// Before Streamlit. What it keeps in the browser is of no use here, as none of its settings can be chosen; but where
// that is damaged, or there is no room for it, Streamlit shows an empty page. So it begins without, and is not told
// what it could not write. What Tidemark keeps is left alone (ui/player/base/kept.ts).
(() => {
  const isOurs = (key: unknown) => String(key).startsWith("tidemark.");
  for (const name of ["localStorage", "sessionStorage"] as const) {
    try {
      const storage = window[name];
      for (const key of Object.keys(storage)) if (/^(st[A-Z]|sidebar)/.test(key)) storage.removeItem(key);
    } catch {
      // Storage is forbidden, which Streamlit knows.
    }
  }
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function setItemOrNot(key, text) {
    try {
      setItem.call(this, key, text);
    } catch (error) {
      if (isOurs(key)) throw error;
    }
  };
})();
