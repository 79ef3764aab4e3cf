import { isObject } from '../../core/json/values.ts'
import type { Format } from '../format.ts'
import { acpFiles, acpStorage, acpTranscripts } from './files.ts'
import { isProofOfStream } from './routing/translate-line.ts'
import { isAcpMessage } from './rpc.ts'

/** The Agent Client Protocol: a log of a connection, or its updates. */
export const acpFormat: Format<'acp'> = {
  name: 'acp',
  inputs: 'ACP (a log of a connection, or the updates of any agent that speaks the Agent Client Protocol)',
  isMessage: (value) => isAcpMessage(value) || (isObject(value) && isProofOfStream(value)),
  isDocument: () => false,
  transcripts: acpTranscripts,
  files: acpFiles,
  storage: acpStorage,
}
