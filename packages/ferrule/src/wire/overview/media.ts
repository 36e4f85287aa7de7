/** Addresses that a browser plays a download from, on the wire. */
import { open, opt, orNull, str, time } from '../../definition/index.ts'
import { executeFields } from '../execute-request.ts'
import { body, query, record, uuid, type Wire } from '../words.ts'

/** Body of a request for an address. */
export const mediaInput = body(
  'MediaInput',
  { entity: executeFields.entity, params: opt(orNull(open('Parameters of the download; ranges are those of the browser'))) },
  'A download to play',
)
/** A download to play. */
export type MediaInput = Wire<typeof mediaInput>

/** An address that a browser plays a download from. */
export const mediaAddress = record(
  'MediaAddress',
  {
    url: str('Address, relative to the service; it works only for the session or application that asked for it'),
    content_type: str('Media type: audio or video'),
    expires_at: time('Time of its end'),
  },
  'An address that a browser plays a download from',
)
/** An address that a browser plays a download from. */
export type MediaAddress = Wire<typeof mediaAddress>

/** Query of such an address. */
export const mediaQuery = query({
  organization_id: opt(uuid('Organization, in place of `X-Organization-Id`: the browser sends no such header for media.')),
})
