export type { FlatFormat } from './bytes.ts'
export {
  createClient,
  type AggregateRequest,
  type Client,
  type ClientOptions,
  type FilterValue,
  type MetricSeries,
  type RawRequest,
  type Paged,
  type TestDataRequest,
} from './client.ts'
export { BroadgaugeError, ExportFailedError, IncompleteAnswerError, type FieldDetail } from './errors.ts'
export type { ExportClient, ExportOptions } from './exports.ts'
export type { AgentName, ChangeOptions, MetadataClient } from './metadata.ts'
export type { QuestionClient, RunOptions } from './questions.ts'
export type { TestKey, TestRecords } from './records.ts'
export type { CallOptions, QueryOptions } from './transport.ts'
export type {
  AgentMetadata,
  AggregatedPoint,
  ChangePreview,
  Export,
  Filter,
  FilterListEntry,
  ListedQuestion,
  Meta,
  MetadataChange,
  MetricListEntry,
  PresetListEntry,
  MetricRequest,
  QueryEstimate,
  Question,
  QuestionContent,
  QuestionLink,
  QuestionLinkRequest,
  QuestionVersion,
  RawPoint,
  SplitListEntry,
  TimelineSpan,
  Warning,
} from './generated/types.ts'
