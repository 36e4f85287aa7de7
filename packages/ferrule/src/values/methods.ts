/** Methods of HTTP that read. */

/** Returns whether requests of a method only read, so that they can be sent again. */
export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'
