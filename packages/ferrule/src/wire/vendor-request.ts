/** Requests of a caller's own to a vendor, and their answers. */
import { type Field, int, obj, oneOf, open, opt, orNull, str } from '../definition/index.ts'
import { body, part, record, type Wire } from './schemas.ts'

const header = (about: string) => opt(str(about, { minLength: 1, maxLength: 500, pattern: '^[ -~]+$' }))
const anyJson = (about: string): Field => ({ description: about })

export const vendorRequest = body(
  'VendorRequest',
  {
    method: oneOf(
      'Method. A GET or a HEAD is sent again when it fails for a moment, all others are sent once',
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
    ),
    path: str("Path below the address of the vendor's API, without a query: /repos/acme/site", { minLength: 1, maxLength: 2_000 }),
    query: opt(orNull(open('Members of the query; a list repeats its name'))),
    body: opt(anyJson('Body, sent as JSON')),
    form: opt(orNull(open('Body, sent as a form instead of JSON; what lies in objects and lists has brackets: a[b]=1, c[]=2'))),
    headers: opt(
      orNull(
        obj(
          {
            accept: header('Media type of the answer; it has to be JSON'),
            'accept-language': header('Language of the answer'),
            'if-match': header('ETag of what is changed'),
            prefer: header('What the vendor should do'),
          },
          'Headers that can be sent',
        ),
      ),
    ),
  },
  'A request to the vendor, as its documents write it',
)
/** A request to the vendor. */
export type VendorRequest = Wire<typeof vendorRequest>

export const vendorAnswer = record(
  'VendorAnswer',
  {
    data: anyJson("The vendor's JSON; an empty object for HEAD"),
    meta: part(
      {
        status: int("The vendor's status"),
        headers: part(
          {
            link: opt(str('Where other pages are')),
            etag: opt(str('Version of what was answered, for if-match')),
            location: opt(str('Address of what was created')),
          },
          'Headers that the vendor sent',
        ),
      },
      'About the answer',
    ),
  },
  'The answer of the vendor',
)
/** The answer of the vendor. */
export type VendorAnswer = Wire<typeof vendorAnswer>
