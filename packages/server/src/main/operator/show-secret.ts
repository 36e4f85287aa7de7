import type { Secret } from 'ferrule/engine'

/** Returns the string of a secret, only for the terminal of the operator who has just created the secret. */
export const showSecret = (secret: Secret<string>): string => secret.reveal()
