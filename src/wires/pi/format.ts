import type { Format } from '../format.ts'
import { agentFolder, factsOf, isSessionFile, piFiles } from './files.ts'
import { isPiLine } from './proof.ts'

/** Pi: `--mode json`, `--mode rpc`, and session files, also those of Oh My Pi and OpenClaw. */
export const piFormat: Format<'pi'> = {
  name: 'pi',
  inputs:
    "Pi (--mode json, a log of --mode rpc, or a session's .jsonl: its agents' files are found beside it)",
  isDocument: () => false,
  isMessage: isPiLine,
  // The lines of an agent's file do not name the agent.
  transcripts: { agentField: 'agentId' },
  files: {
    isSession: isSessionFile,
    isPart: (path) => path.endsWith('.jsonl'),
    agentFiles: (sessionPath) => ({ folder: agentFolder(sessionPath), isBeside: () => false }),
    transcripts: piFiles,
  },
  storage: { facts: factsOf, hasCostOfEachReply: true },
}
