import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { relativePath } from '../../core/state/file-change.ts'
import { showControls } from '../../redaction/printable.ts'

/** Returns the path from the working folder of the session, if it is in that folder. Characters that hide others are visible. */
export function usePath(path: string): string {
  return showControls(relativePath(path, useSession(folderOf)))
}

function folderOf({ session }: SessionConversationState): string | undefined {
  return session.cwd
}
