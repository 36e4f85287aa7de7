/** The machine's clocks. */

/**
 * `steady`: milliseconds since 1970 as the machine saw it when the process began, counted on since: it never steps, so every wait and
 * window is measured with it. An object, so that tests of the library can move it.
 */
export const clocks = { steady: (): number => performance.timeOrigin + performance.now() }
