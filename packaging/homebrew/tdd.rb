# What a tap holds, filled in by packaging/homebrew/build.
class Tdd < Formula
  desc "Makes test-driven development a fact for coding agents"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@BASE@/tdd-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "@BASE@/tdd-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@BASE@/tdd-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@BASE@/tdd-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@x86_64-unknown-linux-gnu@"
    end
    depends_on "bubblewrap"
  end

  def install
    bin.install "tdd"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/tdd.bash" => "tdd"
    zsh_completion.install "completions/_tdd"
    fish_completion.install "completions/tdd.fish"
  end

  test do
    assert_match "tdd #{version}", shell_output("#{bin}/tdd --version")
  end
end
