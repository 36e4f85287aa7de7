/** Words of names that are written in capitals. */
const capitals: Readonly<Record<string, string>> = { api: 'API', id: 'ID', ids: 'IDs', url: 'URL', oauth: 'OAuth', sql: 'SQL' }

/** Prints a name as a title: `api_key` as `API key`, `fromDateTime` as `From date time`. */
export function printLabel(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
  const text = words.map((word) => capitals[word] ?? word).join(' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
