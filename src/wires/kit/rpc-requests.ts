import { asString } from '../../core/json/values.ts'

/** Returns the id of a JSON-RPC message as a text. Such ids are numbers or texts. */
export function rpcIdOf(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : asString(id)
}

const SEPARATOR = ':request:'

/** Returns the id of a request's block. The ids of requests begin again with each connection, so it has that of the call or conversation too. */
export function rpcBlockId(place: string, requestId: string): string {
  return place + SEPARATOR + requestId
}

/** Returns the id of the JSON-RPC request in the id of a block. */
export function requestIdOf(blockId: string): string {
  return blockId.slice(blockId.lastIndexOf(SEPARATOR) + SEPARATOR.length)
}
