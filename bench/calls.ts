/** The vendor's answer that every benchmark of lists reads: 100 calls with the twenty fields that Gong sends, about 60 kB. */

const count = 100
const hour = 3_600_000
const begin = Date.UTC(2026, 0, 5, 8)
const titles = ['Discovery with Northwind Traders', 'Renewal: pricing and security review', 'Weekly sync', 'Démo produit – équipe Lyon']

/** A text of 18 or 19 digits that looks like an id of the vendor. */
const idOf = (seed: bigint): string =>
  ((seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 9_000_000_000_000_000_000n).toString()

const callOf = (index: number) => {
  const id = idOf(BigInt(index + 1) << 33n)
  const scheduled = begin + index * hour
  return {
    id,
    url: `https://us-12345.app.gong.io/call?id=${id}`,
    title: titles[index % titles.length],
    scheduled: new Date(scheduled).toISOString(),
    started: new Date(scheduled + 61_500).toISOString(),
    duration: 600 + ((index * 37) % 3_000),
    primaryUserId: idOf(BigInt(index % 9) << 40n),
    direction: index % 3 === 0 ? 'Outbound' : 'Conference',
    system: index % 2 === 0 ? 'Zoom' : 'Google Meet',
    scope: 'External',
    media: 'Video',
    language: 'eng',
    workspaceId: '623457276584334',
    sdrDisposition: null,
    clientUniqueId: null,
    customData: null,
    purpose: null,
    meetingUrl: `https://example.zoom.us/j/${(90_000_000_000 + index * 7_919).toString()}?pwd=Qm9iIGFuZCBBbGljZQ`,
    isPrivate: false,
    calendarEventId: `${id.slice(0, 9)}c7pjgdb66p31j60o2f6fsd17@google.com`,
  }
}

/** The body of the vendor's answer to `GET /v2/calls`. */
export const callsAnswer = {
  requestId: '4al018gzaztcr8nbukw',
  records: {
    totalRecords: 263,
    currentPageSize: count,
    currentPageNumber: 0,
    cursor: 'eyJhbGciOiJIUzI1NiJ9.eyJjYWxsSWQiOjQ5NTA2MH0.c2lnbmF0dXJl',
  },
  calls: Array.from({ length: count }, (_, index) => callOf(index)),
}

/** Builds Ferrule's meta: the baselines answer with the same bytes. */
export const metaOf = ({ records }: typeof callsAnswer) => ({
  cursor: records.cursor,
  total_records: records.totalRecords,
  current_page_number: records.currentPageNumber,
  next_params: { cursor: records.cursor },
  private_calls_excluded: 0,
})
