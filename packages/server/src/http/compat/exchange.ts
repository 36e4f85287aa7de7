/** Changes what a route sees of a request. */
import type { Exchange } from '../route.ts'

/** Parts of a request that a route sees changed. */
type Change = Partial<Pick<Exchange<unknown>, 'body' | 'query'>>

/** Returns the exchange with another body or query. The signal stays lazy, because most routes never need it. */
export const changeExchange = <Who>(exchange: Exchange<Who>, change: Change): Exchange<Who> => ({
  who: exchange.who,
  params: exchange.params,
  query: exchange.query,
  body: exchange.body,
  requestId: exchange.requestId,
  address: exchange.address,
  door: exchange.door,
  get signal() {
    return exchange.signal
  },
  header: (name) => exchange.header(name),
  setHeader: (name, value) => exchange.setHeader(name, value),
  addVary: (names) => exchange.addVary(names),
  onEnd: (ended) => exchange.onEnd(ended),
  disconnect: () => exchange.disconnect(),
  whenStopped: (buildError) => exchange.whenStopped(buildError),
  ...change,
})
