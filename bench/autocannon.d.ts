/** The part of autocannon that the benchmarks use; the package has no types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly method: 'POST'
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  interface Load {
    /** Seconds. */
    readonly duration: number
    readonly requests: { readonly total: number }
    readonly errors: number
    readonly non2xx: number
  }
  const autocannon: (options: Options) => Promise<Load>
  export = autocannon
}
