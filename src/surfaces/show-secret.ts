import type { Secret } from '../engine/secret.ts'

/** A secret as text, for the one place that exists to show it: the terminal of the operator who has just made it. */
export const showSecret = (secret: Secret<string>): string => secret.reveal()
