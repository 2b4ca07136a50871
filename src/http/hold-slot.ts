import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestSlot } from '../base/fair-limits.ts'

/** Keeps the slot until the request gives it back, at the latest when its answer is sent or its caller has left. */
export function holdSlot(slot: RequestSlot, request: FastifyRequest, { raw }: FastifyReply): RequestSlot {
  request.releaseSlot = slot.release
  raw.once('close', slot.release)
  return slot
}
