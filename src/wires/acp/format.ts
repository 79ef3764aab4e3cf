import type { Format } from '../format.ts'
import { protocolFormat } from '../protocol-format.ts'
import { isAcpMessage } from './rpc/read-message.ts'
import { acpSource } from './source.ts'

/** The Agent Client Protocol: a log of a connection, or its updates. */
export const acpFormat: Format<'acp'> = /* @__PURE__ */ protocolFormat({
  name: 'acp',
  inputs: 'ACP (a log of a connection, or the updates of any agent that speaks the Agent Client Protocol)',
  isMessage: isAcpMessage,
  source: acpSource,
})
