/** Templates of requests: text with slots, `Bearer {token}`. */

/** Lists the names of a template's slots. */
export const listSlots = (template: string): string[] => [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)

/**
 * Fills the slots of a template.
 * @param read returns the value of a slot; undefined or an empty string for none
 * @returns undefined for a template whose slots are all empty
 */
export function fillTemplate(template: string, read: (slot: string) => string | undefined): string | undefined {
  const slots = listSlots(template)
  if (slots.length > 0 && slots.every((slot) => !read(slot))) return undefined
  return template.replace(/\{([^{}]*)\}/g, (_slot, name: string) => read(name) ?? '')
}

/** Fills templates, without those whose slots are all empty. */
export const fillTemplates = (
  templates: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, string>>,
): (readonly [name: string, text: string])[] =>
  Object.entries(templates).flatMap(([name, template]) => {
    const filled = fillTemplate(template, (slot) => values[slot])
    return filled === undefined ? [] : [[name, filled] as const]
  })

const basic = 'Basic '
/** Returns whether a header is one of HTTP Basic (RFC 7617): the engine encodes what follows. */
export const isBasic = (header: string): boolean => header.startsWith(basic)
