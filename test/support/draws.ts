/** Whether the run is `npm run soak`: it draws in full what `npm test`, which ends in minutes, draws in part. */
export const isSoak = process.env['FERRULE_SOAK'] === '1'

/** Chooses how many a test draws, makes or reads. @param few in `npm test` @param many in `npm run soak` */
export const choose = <Count>(few: Count, many: Count): Count => (isSoak ? many : few)
