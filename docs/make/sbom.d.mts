export function sbomText(): string;
