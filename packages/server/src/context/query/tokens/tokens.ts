/**
 * Token rules split strings into words and decide which query words match which record words. The version of the rules is stored with the
 * words. A copy filled by older rules is searched by them until its words are renewed (`store/renewal.ts`). This service computes the
 * words, because databases have different versions of Unicode.
 */
import type { TokenRules, TokenVersion } from './types.ts'
import { firstTokenRules } from './version-1.ts'
import { thirdTokenRules } from './version-3.ts'

/** Version of the rules for everything new. */
export const currentTokens: TokenVersion = 3

/** All versions of the rules; tables with words of the second are made and filled again. */
export const tokenRules: Readonly<Record<TokenVersion, TokenRules>> = { 1: firstTokenRules, 3: thirdTokenRules }
