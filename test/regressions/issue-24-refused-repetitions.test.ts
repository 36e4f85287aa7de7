/** A write whose answer was lost, and whose repetition the vendor refused: the Idempotency-Key stays taken, so nothing is written twice (issue 24). */
import { expect, test } from 'vitest'
import { connectorsPath, startWorld } from '../http/support.ts'
import { loadSubject } from '../kinds/connectors.ts'
import { type Answer, type Call, Refusal } from '../kinds/stand-ins/shared.ts'
import { Stripe } from '../kinds/stand-ins/stripe.ts'
import { subjects } from '../kinds/subjects.ts'

/** Stripe that refuses all writes but the first, as if others used its limit up meanwhile. */
class BusyStripe extends Stripe {
  isBusy = true

  protected override answer(call: Call): Answer {
    const writes = this.calls.filter(({ method }) => method === 'POST').length
    if (this.isBusy && call.method === 'POST' && writes > 1) throw new Refusal({ status: 429, headers: { 'retry-after': '0' } })
    return super.answer(call)
  }
}

test('a write is done once, although its answer is lost and its repetitions are refused', async () => {
  await using vendor = await new BusyStripe({ records: 10 }).listen()
  const subject = subjects.find(({ slug }) => slug === 'stripe')
  if (subject === undefined) throw new Error('Stripe has no stand-in')
  const { definition } = await loadSubject(subject)
  const settings = { origins: { stripe: { api: vendor.origin, oauth: vendor.origin } } }
  const world = await startWorld({ kinds: [{ definition, rules: {} }], settings })
  const { token } = world
  const connector = { workspace_name: 'default', name: 'Stripe', connector_type: 'stripe', credentials: subject.credentials }
  const { json: created } = await world.ask(connectorsPath, { token, body: connector })
  const body = { entity: 'customers', action: 'create', params: { name: 'New' } }
  const write = () => world.ask(`${connectorsPath}/${created.id}/execute`, { token, body, headers: { 'idempotency-key': 'once' } })

  vendor.lostAnswers = 1
  const first = await write()
  vendor.isBusy = false
  const again = await write()
  await world.close()
  expect([first.status, first.json.code, again.status, again.text]).toEqual([504, 'outcome_unknown', 504, first.text])
  expect(vendor.holds('customers').filter(({ name }) => name === 'New')).toHaveLength(1)
})
