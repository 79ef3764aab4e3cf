/** The right of one owner to write a session. */
export interface Lease {
  /** The number of leases that the session has had. */
  readonly generation: number
  /** Absent after a release. */
  readonly owner?: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The lease of a session that never had one. */
export const NO_LEASE: Lease = { generation: 0, expiresAt: 0 }

/** Returns the lease after the owner asked for it, or null if another owner has it. */
export function grantLease(
  lease: Lease,
  { owner, leaseMs, now }: { readonly owner: string; readonly leaseMs: number; readonly now: number },
): Lease | null {
  const isHeld = lease.owner !== undefined && lease.expiresAt > now
  if (isHeld && lease.owner !== owner) return null
  return { generation: isHeld ? lease.generation : lease.generation + 1, owner, expiresAt: now + leaseMs }
}

/** Returns the lease after a release of that generation. */
export function releaseLease(lease: Lease, generation: number): Lease {
  return lease.generation === generation ? { generation, expiresAt: 0 } : lease
}
