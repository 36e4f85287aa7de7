/**
 * Waits for work, some milliseconds at most. The work itself continues.
 * @param late called when the time is over: what it returns or throws is the outcome
 */
export async function within<T, L>(milliseconds: number, work: Promise<T>, late: () => L): Promise<T | L> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, milliseconds)
  try {
    return await Promise.race([work, over.promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
