import type { DimensionSource } from './dimensions.ts'

/** Types that compare the text of a value with texts. */
export const textFilterTypes = ['contains', 'starts_with', 'ends_with', 'matches'] as const
/** Types that compare a value with one number. */
export const numberFilterTypes = ['at_least', 'above', 'at_most', 'below'] as const
export const presenceFilterTypes = ['is_set', 'is_missing'] as const
const listFilterTypes = ['include', 'exclude'] as const

export const filterTypes = [...listFilterTypes, ...textFilterTypes, ...numberFilterTypes, ...presenceFilterTypes]
export type FilterType = (typeof filterTypes)[number]
export type TextFilterType = (typeof textFilterTypes)[number]

/** The types of filters that a dimension takes. */
export const filterTypesOf = (source: DimensionSource): readonly FilterType[] =>
  filterTypes.filter((type) => !isOf(numberFilterTypes, type) || hasNumbers(source))

/** Hours and days of the week are positions in a cycle. The values of a custom field can be numbers. */
const hasNumbers = (source: DimensionSource): boolean =>
  source.kind === 'custom' ||
  (source.kind === 'column' && source.number) ||
  (source.kind === 'agent' && source.attribute === 'unit_id')

const isOf = <Type extends FilterType>(types: readonly Type[], type: FilterType): type is Type =>
  types.some((one) => one === type)

export const isTextFilter = (type: FilterType): type is TextFilterType => isOf(textFilterTypes, type)
export const isNumberFilter = (type: FilterType): type is (typeof numberFilterTypes)[number] =>
  isOf(numberFilterTypes, type)
export const isPresenceFilter = (type: FilterType): type is (typeof presenceFilterTypes)[number] =>
  isOf(presenceFilterTypes, type)
/** `include` and `exclude`. */
export const isListFilter = (type: FilterType): type is (typeof listFilterTypes)[number] => isOf(listFilterTypes, type)
