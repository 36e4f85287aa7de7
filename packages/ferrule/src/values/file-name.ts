/** Names of downloaded files, from what a vendor suggests. */

/** Characters that no file system shall see: separators, those that Windows refuses, controls, and marks that turn the direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
const refused = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g
/** Names that are devices on Windows, whatever their ending. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
/** Longest name in bytes of UTF-8: file systems take 255, and a part of a file has a longer name. */
const mostBytes = 200

/** Cuts a name to its bytes, and keeps a short ending. */
function shorten(name: string): string {
  const ending = /\.[^.]{1,10}$/.exec(name)?.[0] ?? ''
  const signs = [...name.slice(0, name.length - ending.length)]
  while (new TextEncoder().encode(signs.join('') + ending).length > mostBytes) signs.pop()
  return signs.join('') + ending
}

/** Makes a name from a suggestion: never a path, a hidden file or a device. */
export function toFileName(suggested: string): string {
  const name = suggested
    .toWellFormed()
    .replaceAll(refused, '_')
    .replace(/[. ]+$/, '')
    .replace(/^\./, '_')
  return shorten(device.test(name) ? `_${name}` : name) || 'download'
}
