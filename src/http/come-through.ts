import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Arrival, Doorway } from './doorway.ts'
import { holdAtTheDoor } from './hold-at-the-door.ts'

/** `whose`: by what they are known who are refused at the door again and again. */
export async function comeThrough(
  doorway: Doorway,
  isQuery: boolean,
  whose: string,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<Arrival> {
  const arrival = await arrive(doorway, isQuery, whose)
  request.through = arrival.through
  // Whatever becomes of a request, it is through when it is over.
  raw.once('close', arrival.through)
  return arrival
}

async function arrive(doorway: Doorway, isQuery: boolean, whose: string): Promise<Arrival> {
  try {
    return doorway(isQuery)
  } catch (refusal) {
    await holdAtTheDoor(whose)
    throw refusal
  }
}
