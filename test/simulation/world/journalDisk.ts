// Simulates the disk of the bot's journal: faults behind the bot's back, and the bytes that survive a power loss.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SimulatedDisk, type Random } from '../../fixtures/simulatedDisk.ts';

/** Time until the next sync notices a journal that was moved away, ms. */
const MAX_UNNOTICED_MS = 5000;
/** A bit flips in a file of at least this many bytes, in its first half: at the end a write may be incomplete. */
const MIN_FLIP_BYTES = 2000;

/** The disk of the journal over all processes of the bot. */
export class JournalDisk {
  readonly #folder: string;
  disk = new SimulatedDisk();
  #unlinkedMs = NaN;
  #syncFails = false;
  #isFull = false;
  #undoBitFlip: (() => void) | null = null;
  /** The state of the simulated disk that was last copied to the disk of this computer, with the size of each copied file in bytes. */
  #mirrored: { readonly disk: SimulatedDisk; operations: number; readonly sizes: Map<string, number> } | null = null;

  /** Creates the disk of the journal in `folder`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True when the journal was moved away, the next sync will fail, or the disk is full. In each case the bot must stop. */
  get mustBotStop(): boolean {
    return !Number.isNaN(this.#unlinkedMs) || this.#syncFails || this.#isFull;
  }
  /** True while a bit of the journal is flipped. No process may open it then. */
  get isFlipped(): boolean {
    return this.#undoBitFlip !== null;
  }

  #files(): readonly string[] {
    const names = this.disk.list(this.#folder).filter((name) => !name.startsWith('lock-'));
    return names.map((name) => join(this.#folder, name));
  }
  /** Returns the contents of all files, durable or not. */
  contents(): readonly Uint8Array[] {
    return this.disk.list(this.#folder).map((name) => this.disk.read(join(this.#folder, name)));
  }
  /** True if a durable record in one of the two newest files has the text. A file counts for MAX_UNNOTICED_MS after it was moved away. */
  isDurable(text: string, nowMs: number): boolean {
    const hasText = (bytes: Uint8Array): boolean => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(text);
    const newest = this.#files().slice(-2).toReversed();
    if (newest.some((path) => hasText(this.disk.lastingPart(path)))) return true;
    return nowMs - this.#unlinkedMs < MAX_UNNOTICED_MS && this.disk.unlinkedBytes().some(hasText);
  }
  /** Copies the journal to the disk of this computer, because a kill that closes positions reads it from there. */
  mirrorToDisk(): void {
    const { disk } = this;
    if (this.#mirrored?.disk !== disk) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#mirrored = { disk, operations: -1, sizes: new Map() };
    }
    const { operations, sizes } = this.#mirrored;
    if (operations === disk.operations) return;
    this.#mirrored.operations = disk.operations;
    // A process only appends to its journal, so what was copied before still holds.
    for (const path of this.#files()) {
      const sizeBytes = disk.size(path);
      const copiedBytes = sizes.get(path);
      if (copiedBytes === undefined) writeFileSync(path, disk.read(path), { mode: 0o600 });
      else if (sizeBytes > copiedBytes) appendFileSync(path, disk.readAt(path, copiedBytes, sizeBytes - copiedBytes));
      sizes.set(path, sizeBytes);
    }
  }

  /** Ends the process on this disk. The operator then moves back a file that was moved away. */
  endProcess(isPowerLoss: boolean, random: Random): void {
    this.disk.putBack();
    this.#unlinkedMs = NaN;
    this.#syncFails = false;
    // The new disk has room again: the operator has made some.
    this.#isFull = false;
    this.disk = isPowerLoss ? this.disk.afterPowerLoss(random) : this.disk.afterKill('', 0);
  }

  /** Moves the newest file of the journal away, as another process might. */
  unlink(nowMs: number): void {
    const newest = this.#files().at(-1);
    if (newest === undefined) return;
    this.disk.unlink(newest);
    this.#unlinkedMs = nowMs;
  }
  /** Makes the next sync fail. The bytes that it should make durable are lost. */
  failSync(): void {
    if (this.isFlipped) return;
    this.#syncFails = true;
    this.disk.syncFailures.push('EIO');
  }
  /** Fills the disk up to `freeBytes`. */
  fill(freeBytes: number): void {
    if (this.isFlipped) return;
    this.#isFull = true;
    this.disk.capacityBytes = this.contents().reduce((sum, bytes) => sum + bytes.length, freeBytes);
  }
  /** Returns a function that flips a bit once the process has ended. Null when the journal is too short or moved away. */
  flipBit(draw: number): (() => void) | null {
    const path = this.#files().find((file) => this.disk.size(file) >= MIN_FLIP_BYTES);
    if (path === undefined || !Number.isNaN(this.#unlinkedMs)) return null;
    return () => {
      const original = this.disk.read(path);
      const bit = Math.floor(draw * (original.length / 2) * 8);
      const flipped = Uint8Array.from(original);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      this.disk.overwrite(path, flipped);
      this.#undoBitFlip = () => this.disk.overwrite(path, original);
    };
  }
  /** Restores the journal from a copy, as the operator does after damage. */
  restore(): void {
    this.#undoBitFlip?.();
    this.#undoBitFlip = null;
  }
}
