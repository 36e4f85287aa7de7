/** The kinds: the only file that names them all. */
import { gong } from './gong/index.ts'

/** Every kind by its slug. */
export const kinds = { gong } as const
