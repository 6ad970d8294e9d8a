// The disk of the bot's journal in the world: what happens to it behind the bot's back, and what of the journal lasts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SimulatedDisk, type Random } from '../../fixtures/simulatedDisk.ts';

/** The next sync notices a journal that was moved away. */
const UNNOTICED_MS = 5000;
/** A bit flips in a file of at least this many bytes, in its first half: at the end a write may be incomplete. */
const MIN_FLIP_BYTES = 2000;

export class JournalDisk {
  readonly #folder: string;
  disk = new SimulatedDisk();
  #unlinkedMs = NaN;
  #syncFails = false;
  #unflip: (() => void) | null = null;
  /** What of the simulated disk the disk of this computer has. */
  #mirrored: { readonly disk: SimulatedDisk; readonly operations: number } | null = null;

  /** `folder`: of the journal. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The journal was moved away, or a sync is to fail: the bot has to stop. */
  get mustStopBot(): boolean {
    return !Number.isNaN(this.#unlinkedMs) || this.#syncFails;
  }
  /** A bit of it was flipped: no process may take it. */
  get isFlipped(): boolean {
    return this.#unflip !== null;
  }

  #files(): readonly string[] {
    const names = this.disk.list(this.#folder).filter((name) => !name.startsWith('lock-'));
    return names.map((name) => join(this.#folder, name));
  }
  /** All that was written. */
  contents(): readonly Uint8Array[] {
    return this.disk.list(this.#folder).map((name) => this.disk.read(join(this.#folder, name)));
  }
  /** What no loss of power takes from the newest files of the journal. A file that was moved away just now counts. */
  lasting(nowMs: number): Buffer {
    const files = this.#files().slice(-2);
    const isUnnoticed = nowMs - this.#unlinkedMs < UNNOTICED_MS;
    return Buffer.concat([...files.map((path) => this.disk.lastingPart(path)), ...(isUnnoticed ? this.disk.unlinkedBytes() : [])]);
  }
  /** The kill that closes positions reads the journal from the disk of this computer. */
  mirror(): void {
    const { disk } = this;
    if (this.#mirrored?.disk === disk && this.#mirrored.operations === disk.operations) return;
    this.#mirrored = { disk, operations: disk.operations };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const path of this.#files()) writeFileSync(path, disk.read(path), { mode: 0o600 });
  }

  /** The process is gone. Before the next start the operator moves back what was moved away. */
  endProcess(isPower: boolean, random: Random): void {
    this.disk.putBack();
    this.#unlinkedMs = NaN;
    this.#syncFails = false;
    this.disk = isPower ? this.disk.afterPowerLoss(random) : this.disk.afterKill('', 0);
  }

  /** Another process moves the newest file of the journal away. */
  unlink(nowMs: number): void {
    const newest = this.#files().at(-1);
    if (newest === undefined) return;
    this.disk.unlink(newest);
    this.#unlinkedMs = nowMs;
  }
  /** The next sync fails, and takes with it what was to be synced. */
  failSync(): void {
    if (this.isFlipped) return;
    this.#syncFails = true;
    this.disk.syncFailures.push('EIO');
  }
  /** Returns what flips a bit once the process is gone; null: the journal is too short, or not there. */
  flipBit(size: number): (() => void) | null {
    const found = this.#files().find((path) => this.disk.size(path) >= MIN_FLIP_BYTES);
    if (found === undefined || !Number.isNaN(this.#unlinkedMs)) return null;
    return () => {
      const whole = this.disk.read(found);
      const bit = Math.floor(size * (whole.length / 2) * 8);
      const flipped = Uint8Array.from(whole);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      this.disk.overwrite(found, flipped);
      this.#unflip = () => this.disk.overwrite(found, whole);
    };
  }
  /** The operator brings the journal back from a copy. */
  restore(): void {
    this.#unflip?.();
    this.#unflip = null;
  }
}
