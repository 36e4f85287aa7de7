import type { World } from './world.ts'

/** Which CRM data a request wants. */
export interface ContextWish {
  /** `Basic`: links only; `Extended`: with the values of the fields. */
  readonly context: 'None' | 'Basic' | 'Extended'
  readonly timings: readonly ('Now' | 'TimeOfCall')[]
}

/** What the CRM objects belong to. */
export interface CrmSubject {
  readonly call: number
  readonly name: string
  readonly objectTypes: readonly string[]
}

function fieldsOf(world: World, subject: CrmSubject, place: { objectType: string; timing: string }): readonly Record<string, unknown>[] {
  const random = world.random('crm', subject.call, subject.name, place.objectType, place.timing)
  if (place.objectType !== 'Opportunity') return [{ name: 'Name', value: subject.name }]
  return [
    { name: 'Name', value: `${subject.name} – new business` },
    { name: 'Amount', value: random.int(10, 900) * 100 },
    { name: 'StageName', value: random.pick(['Qualification', 'Proposal', 'Negotiation', 'Closed Won']) },
    { name: 'Probability', value: random.decimal(0, 1) },
    { name: 'NextStep', value: random.chance(0.5) ? 'Send the offer' : null },
  ]
}

/**
 * CRM objects of a call or a party.
 *
 * @param world - where it happened
 * @param subject - what the objects belong to
 * @param wish - links only, or values at which times
 */
export function crmContext(world: World, subject: CrmSubject, wish: ContextWish): readonly Record<string, unknown>[] {
  const random = world.random('crm system', subject.call, subject.name)
  const system = random.pick(['Salesforce', 'Salesforce', 'HubSpot', 'MicrosoftDynamic', 'Generic'])
  const objectIds = subject.objectTypes.map((objectType) => ({ objectType, objectId: `00${random.base36(13).toUpperCase()}` }))
  if (wish.context === 'Basic') return [{ system, objects: objectIds.map((object) => ({ ...object, fields: [] })) }]
  const objects = wish.timings.flatMap((timing) =>
    objectIds.map((object) => ({ ...object, fields: fieldsOf(world, subject, { objectType: object.objectType, timing }), timing })),
  )
  return [{ system, objects }]
}
