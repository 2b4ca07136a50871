import { expect, it } from 'vitest'
import { exportAnswer } from '../../src/envelope/export-answer.ts'

const complete = {
  id: 'e1',
  status: 'complete',
  progress: 1,
  rows: 12,
  bytes: 345,
  failure: null,
  warnings: [],
  expires_at: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678)),
}

it('has the documented fields of a complete export, and no others', () => {
  expect(exportAnswer(complete, 'https://files.example/e1')).toEqual({
    id: 'e1',
    status: 'complete',
    url: 'https://files.example/e1',
    status_url: '/downloads/e1',
    rows: 12,
    bytes: 345,
    expires_at: '2026-01-02T03:04:05.678Z',
  })
})

it('has null for fields that are unknown before the file exists', () => {
  const queued = { ...complete, status: 'queued', progress: 0, rows: null, bytes: null }
  expect(exportAnswer(queued, null)).toMatchObject({ url: null, rows: null, bytes: null })
})

it.each(['queued', 'complete', 'failed', 'cancelled'])('shows no progress of an export that is %s', (status) => {
  expect(exportAnswer({ ...complete, status, progress: 0.5 }, null)).not.toHaveProperty('progress')
})

it.each([0, 0.25, 1])('shows the progress %d of an export that is running', (progress) => {
  expect(exportAnswer({ ...complete, status: 'running', progress }, null)).toHaveProperty('progress', progress)
})

it('shows why an export failed, and no failure otherwise', () => {
  const failure = 'The query is too large.'
  expect(exportAnswer({ ...complete, status: 'failed', failure }, null)).toHaveProperty('failure', failure)
  expect(exportAnswer(complete, null)).not.toHaveProperty('failure')
})
