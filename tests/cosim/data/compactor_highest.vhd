-- SPDX-License-Identifier: Apache-2.0
-- A compactor in VHDL whose highest rows leave first, a clock after it has taken a request.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package rows_pkg is
  function bits_of(n : positive) return positive;
end package;

package body rows_pkg is
  function bits_of(n : positive) return positive is
    variable bits : positive := 1;
  begin
    while 2 ** bits < n loop
      bits := bits + 1;
    end loop;
    return bits;
  end function;
end package body;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rows_pkg.all;

entity highest_rows is
  generic (
    Lanes : positive;
    Rows  : positive;
    Width : positive
  );
  port (
    waiting_i  : in  std_logic_vector(Rows * Lanes - 1 downto 0);
    together_i : in  std_logic;
    mask_o     : out std_logic_vector(Lanes - 1 downto 0);
    row_o      : out std_logic_vector(Lanes * Width - 1 downto 0);
    after_o    : out std_logic_vector(Rows * Lanes - 1 downto 0)
  );
end entity;

architecture rtl of highest_rows is
begin

  pick : process (waiting_i, together_i)
    variable mask, chosen : std_logic_vector(Lanes - 1 downto 0);
    variable found : boolean;
  begin
    mask := (others => '0');
    found := false;
    after_o <= waiting_i;
    row_o <= (others => '0');
    for r in Rows - 1 downto 0 loop
      chosen := waiting_i(r * Lanes + Lanes - 1 downto r * Lanes) and not mask;
      if found and together_i = '0' then
        chosen := (others => '0');
      end if;
      if unsigned(chosen) /= 0 then
        found := true;
      end if;
      mask := mask or chosen;
      after_o(r * Lanes + Lanes - 1 downto r * Lanes) <=
        waiting_i(r * Lanes + Lanes - 1 downto r * Lanes) and not chosen;
      for l in 0 to Lanes - 1 loop
        if chosen(l) = '1' then
          row_o(l * Width + Width - 1 downto l * Width) <= std_logic_vector(to_unsigned(r, Width));
        end if;
      end loop;
    end loop;
    mask_o <= mask;
  end process;

end architecture;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.rows_pkg.all;

entity thread_compactor is
  generic (
    Lanes : positive := 32;
    Rows  : positive := 32
  );
  port (
    clk_i         : in  std_logic;
    rst_ni        : in  std_logic;
    req_valid_i   : in  std_logic;
    req_ready_o   : out std_logic;
    req_regroup_i : in  std_logic;
    req_threads_i : in  std_logic_vector(Rows * Lanes - 1 downto 0);
    warp_valid_o  : out std_logic;
    warp_ready_i  : in  std_logic;
    warp_mask_o   : out std_logic_vector(Lanes - 1 downto 0);
    warp_row_o    : out std_logic_vector(Lanes * bits_of(Rows) - 1 downto 0);
    warp_last_o   : out std_logic
  );
end entity;

architecture rtl of thread_compactor is
  constant Width : positive := bits_of(Rows);
  type phase_t is (idle, look, offer);
  signal phase, next_phase : phase_t;
  signal together, last : std_logic;
  signal waiting, after_it : std_logic_vector(Rows * Lanes - 1 downto 0);
begin

  chooser : entity work.highest_rows
    generic map (Lanes => Lanes, Rows => Rows, Width => Width)
    port map (waiting_i => waiting, together_i => together, mask_o => warp_mask_o, row_o => warp_row_o, after_o => after_it);

  last <= '1' when unsigned(after_it) = 0 else '0';
  warp_last_o <= last;

  next_clock : process (all)
  begin
    warp_valid_o <= '0';
    req_ready_o <= '0';
    next_phase <= phase;
    case phase is
      when idle =>
        req_ready_o <= '1';
        if req_valid_i = '1' and unsigned(req_threads_i) /= 0 then
          next_phase <= look;
        end if;
      when look =>
        next_phase <= offer;
      when others =>
        warp_valid_o <= '1';
        if warp_ready_i = '1' and last = '1' then
          next_phase <= idle;
        end if;
    end case;
  end process;

  process (clk_i, rst_ni)
  begin
    if rst_ni = '0' then
      phase <= idle;
    elsif rising_edge(clk_i) then
      phase <= next_phase;
    end if;
  end process;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      case phase is
        when idle =>
          waiting <= req_threads_i;
          together <= req_regroup_i;
        when look => null;
        when others =>
          if warp_ready_i = '1' then
            waiting <= after_it;
          end if;
      end case;
    end if;
  end process;

end architecture;
