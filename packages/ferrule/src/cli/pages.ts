/** Rows of the service's lists, in batches. */

const batchSize = 100

/** Collects entries into batches, so that a long list is written while it is read. */
export async function* collectPages<T>(entries: AsyncIterable<T>): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
