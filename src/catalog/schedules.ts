/**
 * The local hours at which the blocks of the schedule start, and 24 as the end of the last block. Normalisation weights a block
 * by its hours, not by its number of results.
 */
export type Schedule = readonly number[]

/**
 * Speed tests run often in the evening, when lines are busy, and rarely at night. The blocks are therefore shorter in the
 * evening.
 */
export const speedTestBlocks: Schedule = [0, 6, 12, 18, 20, 22, 24]

export const hourlyBlocks: Schedule = Array.from({ length: 25 }, (_, hour) => hour)
