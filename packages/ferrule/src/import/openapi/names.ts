/** Words of names and paths: nouns of paths, verbs, singular and plural. */
import { splitWords } from '../sentences.ts'

/** Returns the singular of an English noun, by its ending. */
export function toSingular(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(ches|shes|xes|sses|zes)$/.test(word)) return word.slice(0, -2)
  return word.replace(/s$/, '')
}

/** Returns whether two names say the same: `issue` and `Issues`, `order_item` and `orderItems`. */
export const isSameName = (one: string, other: string): boolean => {
  const simplify = (name: string): string => splitWords(name).map(toSingular).join('')
  return simplify(one) === simplify(other)
}

/** Returns whether a noun is plural. */
export const isPlural = (name: string): boolean => {
  const last = splitWords(name).at(-1) ?? ''
  return toSingular(last) !== last || /^(people|children|media|data|info|criteria)$/.test(last)
}

/** Parts of a path without slots that say no noun: versions, and what stands in front of everything. */
const isPrefix = (part: string): boolean => /^(v?\d+([.-]\d+)*(-?(alpha|beta))?|api|rest|latest)$/i.test(part)

/** Returns the parts of a path. `.json` at its end says a form of answers, and no noun. */
export const splitPath = (path: string): readonly string[] =>
  path
    .replace(/\.json$/, '')
    .split('/')
    .filter((part) => part !== '')
/** Returns whether a part of a path has a slot. */
export const isSlot = (part: string): boolean => part.includes('{')
/** Returns the name of a slot. */
export const readSlot = (part: string): string => /\{([^}]*)\}/.exec(part)?.[1] ?? ''
/** Returns the words of a path that name things. */
export const listNouns = (path: string): readonly string[] => splitPath(path).filter((part) => !isSlot(part) && !isPrefix(part))
/** Returns the path without the slots at its end: that of all records. */
export const findBase = (path: string): string => {
  const parts = splitPath(path)
  while (parts.length > 1 && isSlot(parts.at(-1) ?? '')) (parts as string[]).pop()
  return `/${parts.join('/')}`
}

const verbs = new Set(
  (
    'accept activate add apply approve archive assign attach authorize batch block bulk cancel capture check clear clone close complete confirm ' +
    'connect convert copy count deactivate decline deny detach disable disconnect dismiss download duplicate enable end evaluate execute exchange ' +
    'expire export finalize finish follow force generate get grant hide import initiate instantiate invalidate invite join link list lock mark merge migrate move ' +
    'mute override parse pause pay pin ping preview process promote publish pull purge push query read reject refresh reinstate release remove rename reopen ' +
    'reorder replace request rerequest reset resend restore resume retry return reverse review revoke rerun rotate run save schedule search select send set share start stop submit ' +
    'subscribe suspend swap sync test transfer transition trigger unarchive unassign unblock unfollow unhide uninstall unlock unpin unpublish ' +
    'unstar unsubscribe update upgrade upload upsert validate verify void vote watch'
  ).split(' '),
)
/** Returns whether a part of a path says what is done, and no noun. */
export const isVerb = (part: string): boolean => verbs.has(splitWords(part)[0] ?? '') && !(isPlural(part) && splitWords(part).length === 1)
