/** Tokens and mark of all pages. `npm run gen` prints them from packages/web/src/shared. */

/** Style sheet. */
export const tokens = `/* Colors, radius and letters of the console, its sign-in, the connect page and the documentation. */
:root {
  color-scheme: light dark;
  --font: -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
  --radius: 8px;
  --page: light-dark(#f3f4f8, #11131a);
  --card: light-dark(#fff, #1b1e29);
  --text: light-dark(#1a1e2b, #e9ebf3);
  --soft: light-dark(#555d70, #a9b0c3);
  --line: light-dark(#d6d9e3, #353a4b);
  --field: light-dark(#8a91a3, #6d758b);
  --main: light-dark(#3b3fb8, #5f64e0);
  --main-hover: light-dark(#2e3296, #5258d6);
  --on-main: #fff;
  --link: light-dark(#3b3fb8, #aab0ff);
  --quiet: light-dark(#eef0fb, #262a3b);
  --bad: light-dark(#a3211a, #ffb0a9);
  --bad-back: light-dark(#fdeeec, #3a1f1f);
  --good: light-dark(#14653b, #8fdcb0);
  --good-back: light-dark(#e8f6ee, #17301f);
  --badge: light-dark(#7a4a00, #ffd58a);
  --badge-back: light-dark(#fff2d9, #3a2d10);
}`

/** SVG. */
export const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Ferrule</title><rect width="32" height="32" rx="8" fill="#3b3fb8"/><path d="M5 9h3c4 0 3 7 7 7M5 16h10M5 23h3c4 0 3-7 7-7M19 16h8" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/><rect x="14" y="9.5" width="6.5" height="13" rx="2" fill="#fff"/></svg>'
