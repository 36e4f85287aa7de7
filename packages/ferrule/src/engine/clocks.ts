/** The machine's clocks. */

/**
 * `steady`: milliseconds since 1970, counted from the start of the process. The clock never steps, so all waits and windows use it. An
 * object, so that tests can replace the function.
 */
export const clocks = { steady: (): number => performance.timeOrigin + performance.now() }
