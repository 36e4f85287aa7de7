/** Checks of client secrets: how they are stored, and what a refusal reveals. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSecretCheck, hashSecret, isSecret, markSecret } from '../../packages/server/src/tenancy/applications/client-secret.ts'
import { refusal } from './world.ts'

const stored = hashSecret('the right secret', randomBytes)

test('a hash fits its secret only, and the same secret has another hash and mark the next time', () => {
  const again = hashSecret('the right secret', randomBytes)
  expect([stored, again].map((hash) => isSecret('the right secret', hash))).toEqual([true, true])
  expect(['', 'the right secre', 'the right secret '].map((secret) => isSecret(secret, stored))).toEqual([false, false, false])
  expect(again).not.toBe(stored)
  expect(markSecret(again)).not.toBe(markSecret(stored))
})

test('a wrong secret and an unknown client are refused after the same pause', async () => {
  const pauses: number[] = []
  const check = createSecretCheck(async (milliseconds) => pauses.push(milliseconds))
  await check('the right secret', stored)
  for (const hash of [stored, undefined]) expect(await refusal(check('wrong', hash))).toMatch(/^invalid_client/)
  expect(pauses).toEqual([250, 250])
})

test('very many refusals at the same time hold up nobody with the right secret', async () => {
  const held = Promise.withResolvers<void>()
  const check = createSecretCheck(() => held.promise)
  const refused = Array.from({ length: 1_000 }, () => refusal(check('wrong', stored)))
  expect(await refusal(check('wrong', undefined))).toMatch(/^overloaded/)
  await check('the right secret', stored)
  held.resolve()
  expect(new Set((await Promise.all(refused)).map((text) => text.split(':')[0]))).toEqual(new Set(['invalid_client']))
  expect(await refusal(check('wrong', stored))).toMatch(/^invalid_client/)
})
