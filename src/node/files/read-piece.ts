import type { FileHandle } from 'node:fs/promises'

/** Returns the bytes of a file from a position on, at most `length` of them. */
export async function readPiece(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  if (length === 0) return NONE
  const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const NONE: Uint8Array = new Uint8Array()

/** Like `readPiece`, as text. A character that the piece cuts becomes U+FFFD. */
export async function readTextPiece(file: FileHandle, position: number, length: number): Promise<string> {
  return new TextDecoder().decode(await readPiece(file, position, length))
}
