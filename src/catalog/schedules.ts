/**
 * Hours of the local day at which a block of the test schedule begins, and 24. Normalisation lets every block count
 * by its hours instead of by how many results fell into it.
 */
export type Schedule = readonly number[]

/** Speed tests run densely in the evening, when lines are busy, and sparsely at night. */
export const speedTestBlocks: Schedule = [0, 6, 12, 18, 20, 22, 24]

export const hourlyBlocks: Schedule = Array.from({ length: 25 }, (_, hour) => hour)
