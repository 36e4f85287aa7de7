/** Cuts the final newline of a secret: editors, `echo` and mounted files add one. A newline before it belongs to the value. */
export const cutFinalNewline = (text: string): string => text.replace(/\r?\n$/, '')
