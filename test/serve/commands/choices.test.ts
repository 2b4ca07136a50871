import { Command } from 'commander'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addChoicesCommand } from '../../../src/serve/commands/data/choices.ts'

/** Bodies of a service, by path. It never responds to other paths, except to those of unknown filters. */
const bodies: Record<string, unknown> = {
  '/metrics': [{ key: 'httpget' }, { key: 'httpget_single' }, { key: 'latency' }],
  '/filters': [{ id: 'isp' }, { id: 'custom.floor' }],
  '/filters/isp/values?search=ac': [{ value: 'Acme Broadband' }, { value: 'Pacific' }],
}

let service: Server

beforeAll(async () => {
  service = createServer(({ url = '' }, response) => {
    if (url in bodies) response.end(JSON.stringify({ code: 'OK', message: '', data: bodies[url] }))
    else if (url.includes('/values')) response.writeHead(404).end('{"code":"NOT_FOUND","message":"Not found"}')
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  service.closeAllConnections()
  service.close()
})

async function choices(...words: string[]): Promise<string> {
  let text = ''
  const { port } = service.address() as AddressInfo
  const environment = { BROADGAUGE_CALLER_URL: `http://127.0.0.1:${port}`, BROADGAUGE_CALLER_TOKEN: 'bg_x' }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  addChoicesCommand(program, { environment, write: (more) => void (text += more) })
  await program.parseAsync(['choices', ...words], { from: 'user' })
  return text
}

it('lists what begins with the text, one choice per line, in any case of letters', async () => {
  expect(await choices('metric')).toBe('httpget\nhttpget_single\nlatency\n')
  expect(await choices('metric', 'HTTPGET_')).toBe('httpget_single\n')
  expect(await choices('filter', 'x')).toBe('')
})

it('lists values in the form that --filter takes, without those that only contain the text', async () => {
  expect(await choices('filter', 'isp=ac')).toBe('isp=Acme Broadband\n')
  expect(await choices('filter', 'isp!=ac')).toBe('isp!=Acme Broadband\n')
})

it('names the closest filter if there is none of this name', async () => {
  await expect(choices('filter', 'ips=ac')).rejects.toThrow('no such filter: ips. Did you mean isp? Choices: isp')
})

it('gives up after the time limit, and takes only a positive time', async () => {
  await expect(choices('split', '--timeout', '0.05')).rejects.toThrow('the service does not answer in time')
  await expect(choices('split', '--timeout', '0')).rejects.toThrow('It takes a number of seconds')
})
