/** Parameters and fields that several entities share. Lists of statuses are open, because the vendor adds values. */
import { fromConnector, int, jsonFilter, list, opt, orNull, stamp, str } from '../../definition/index.ts'

/** The advertiser of a call; the connector's own if it knows one. */
export const advertiser_id = fromConnector(
  'advertiser',
  str('Advertiser id; the one of the configuration when it is left out', { minLength: 1 }),
)

/** The advertiser of a record whose own answer does not name it. */
export const ofAdvertiser = { advertiser_id: { param: 'advertiser_id' } } as const

/** One list per advertiser; the vendor has no filter for changes. */
export const perAdvertiser = { each: { entity: 'advertisers', take: { advertiser_id: 'advertiser_id' } } } as const

/** The vendor's own filter of a list. It can ask for deleted objects, which the context store does not have. */
export const filtering = opt(
  jsonFilter(
    'Filter of the vendor, a JSON object in a string: {"primary_status":"STATUS_ALL"}; sent unchanged',
    'object',
    '{"primary_status":"STATUS_ALL"}',
  ),
)

/** Lists with the vendor's filter: a filtered answer is not copied. */
export const filteredPerAdvertiser = { ...perAdvertiser, notCopied: ['filtering'] } as const

/** The vendor's longest reports by their dimension of time, in days, the first and the last included. The shortest first. */
export const longestReports = { stat_time_hour: 1, stat_time_day: 30 } as const

/** Page number and page size. The vendor's own default of 10 or 20 records is never used. */
export const paging = (most: number, usual = most) => ({
  page: opt(int('Number of the page, from 1', { minimum: 1 })),
  page_size: opt(int(`Records per page, 1 to ${most}; ${usual} when it is left out`, { minimum: 1, maximum: most })),
})

/** The values of omitted paging parameters. */
export const firstPage = (size: number) => ({ page: 1, page_size: size })

/** An array of vendor strings. */
export const texts = (about: string) => orNull(list(str('Value'), about))

/** When an object was created and last changed. */
export const changes = {
  create_time: stamp('When it was made, YYYY-MM-DD HH:MM:SS in UTC'),
  modify_time: stamp('When it was last changed, YYYY-MM-DD HH:MM:SS in UTC'),
}
