-- SPDX-License-Identifier: Apache-2.0
-- A compactor in VHDL whose highest rows leave first.
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
  signal busy, together, last : std_logic;
  signal waiting, after_it : std_logic_vector(Rows * Lanes - 1 downto 0);
begin

  pick : process (waiting, together)
    variable mask, chosen : std_logic_vector(Lanes - 1 downto 0);
    variable found : boolean;
  begin
    mask := (others => '0');
    found := false;
    after_it <= waiting;
    warp_row_o <= (others => '0');
    for r in Rows - 1 downto 0 loop
      chosen := waiting(r * Lanes + Lanes - 1 downto r * Lanes) and not mask;
      if found and together = '0' then
        chosen := (others => '0');
      end if;
      if unsigned(chosen) /= 0 then
        found := true;
      end if;
      mask := mask or chosen;
      after_it(r * Lanes + Lanes - 1 downto r * Lanes) <=
        waiting(r * Lanes + Lanes - 1 downto r * Lanes) and not chosen;
      for l in 0 to Lanes - 1 loop
        if chosen(l) = '1' then
          warp_row_o(l * Width + Width - 1 downto l * Width) <= std_logic_vector(to_unsigned(r, Width));
        end if;
      end loop;
    end loop;
    warp_mask_o <= mask;
  end process;

  last <= '1' when unsigned(after_it) = 0 else '0';
  warp_last_o <= last;
  warp_valid_o <= busy;
  req_ready_o <= not busy;

  process (clk_i, rst_ni)
  begin
    if rst_ni = '0' then
      busy <= '0';
    elsif rising_edge(clk_i) then
      if busy = '0' then
        if req_valid_i = '1' and unsigned(req_threads_i) /= 0 then
          busy <= '1';
        end if;
      elsif warp_ready_i = '1' and last = '1' then
        busy <= '0';
      end if;
    end if;
  end process;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if busy = '0' then
        waiting <= req_threads_i;
        together <= req_regroup_i;
      elsif warp_ready_i = '1' then
        waiting <= after_it;
      end if;
    end if;
  end process;

end architecture;
